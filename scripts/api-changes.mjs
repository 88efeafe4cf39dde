// Finds the changes of an API description that break clients. api-smart-diff finds all differences; the rules here know the
// direction: a request may only become wider, and an answer only narrower or larger.
import { apiCompare } from 'api-smart-diff';

/**
 * Returns a line for each change that breaks clients, such as `GET /events, answer 200, [].name: removed`.
 * @param before OpenAPI 3.1 or AsyncAPI 3 document
 * @param after document of the same kind
 */
export function breakingChanges(before, after) {
  const [old, now] = [before, after].map((document) =>
    document.asyncapi === undefined ? document : messagesAsPaths(document),
  );
  const lines = apiCompare(old, now)
    .diffs.filter(({ path }) => path[0] === 'paths')
    .flatMap((difference) => {
      const why = reasonOf(difference.path.slice(2).map(String), difference);
      return why === undefined ? [] : [`${placeOf(difference, old)}: ${why}`];
    });
  return [...new Set(lines)].sort();
}

/** True if the version says that clients must change: its first number is higher. */
export const isMajorStep = (before, after) => majorOf(after) > majorOf(before);
const majorOf = ({ info }) => Number.parseInt(info.version, 10);

/** Writes the messages of the live channel as requests and answers, so that the same rules judge them. */
function messagesAsPaths({ info, channels, operations, components }) {
  const nameOf = ({ $ref }) => {
    const [, , channel, , message] = $ref.split('/');
    return channels[channel].messages[message].$ref.split('/').at(-1);
  };
  const bodyOf = (name) => ({ 'application/json': { schema: components.messages[name].payload } });
  const paths = {};
  for (const { action, messages, reply } of Object.values(operations)) {
    for (const message of messages) {
      const name = nameOf(message);
      paths[`/${components.messages[name].name}`] = {
        [action === 'send' ? 'get' : 'post']:
          action === 'send'
            ? { responses: { 200: { description: '', content: bodyOf(name) } } }
            : {
                requestBody: { required: true, content: bodyOf(name) },
                responses: Object.fromEntries(
                  (reply?.messages ?? []).map((answer) => [
                    200,
                    { description: '', content: bodyOf(nameOf(answer)) },
                  ]),
                ),
              },
      };
    }
  }
  return { openapi: '3.1.0', info, paths, components: { schemas: components.schemas } };
}

/** @returns the reason why a difference breaks clients; undefined if it does not */
function reasonOf([, part, ...rest], { action, before, after }) {
  if (part === undefined) return action === 'remove' ? 'removed' : undefined;
  const isAnswer = part === 'responses';
  if (part === 'security') return action === 'remove' ? undefined : 'the access changed';
  if (!isAnswer && part !== 'parameters' && part !== 'requestBody') return undefined;
  const schema = rest.indexOf('schema');
  if (schema >= 0) return ofSchema(rest.slice(schema + 1), { action, before, after, isAnswer });
  if (rest.at(-1) === 'required') return after === true && !isAnswer ? 'required now' : undefined;
  if (isAnswer) {
    // The documented errors of a route may change. Clients read the code of the error.
    const isError = /^[45]/.test(rest[0] ?? '');
    const isPart = rest.length === 1 || rest[1] === 'content' || rest[1] === 'headers';
    return action === 'remove' && isPart && !isError ? 'removed' : undefined;
  }
  if (part === 'parameters' && rest.length > 1) return undefined;
  if (action === 'remove') return 'removed';
  return action === 'add' && after?.required === true ? 'required now' : undefined;
}

/** Keywords that are followed by one schema. */
const WITH_SCHEMA = new Set(['items', 'additionalProperties', 'propertyNames', 'not']);
/** Keywords that are followed by schemas with names or numbers. */
const WITH_SCHEMAS = new Set(['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MOST = new Set(['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']);
const LEAST = new Set(['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']);
const FORMS = new Set(['pattern', 'format', 'multipleOf', 'uniqueItems', 'const']);

function ofSchema(path, change) {
  const [keyword, next, ...rest] = path;
  if (WITH_SCHEMA.has(keyword) && next !== undefined) return ofSchema([next, ...rest], change);
  if (WITH_SCHEMAS.has(keyword) && rest.length > 0) return ofSchema(rest, change);
  const { action, before, after, isAnswer } = change;
  const [added, removed] = [action === 'add', action === 'remove'];
  if (keyword === undefined) return removed ? 'removed' : 'another type';
  if (keyword === 'properties') return removed ? 'removed' : undefined;
  if (keyword === 'required')
    return isAnswer
      ? removed
        ? `${before} may be absent`
        : undefined
      : added
        ? `${after} is required`
        : undefined;
  // Answers may get new words.
  if (keyword === 'enum') {
    if (isAnswer) return undefined;
    if (removed && next !== undefined) return `the word ${before} is refused`;
    return added && next === undefined ? 'only some words are accepted' : undefined;
  }
  if (keyword === 'anyOf' || keyword === 'oneOf')
    return isAnswer ? (added ? 'another form' : undefined) : removed ? 'a form is refused' : undefined;
  if (keyword === 'type') return ofTypes(change);
  if (isAnswer) return keyword === 'format' && action === 'replace' ? 'another format' : undefined;
  if (MOST.has(keyword)) return added || after < before ? `${keyword} is ${after}` : undefined;
  if (LEAST.has(keyword)) return added || after > before ? `${keyword} is ${after}` : undefined;
  if (FORMS.has(keyword) || keyword === 'allOf') return removed ? undefined : `another ${keyword}`;
  return keyword === 'additionalProperties' && after === false ? 'unknown fields are refused' : undefined;
}

function ofTypes({ before, after, isAnswer }) {
  const sets = [before, after].map((types) => new Set([types ?? 'any'].flat()));
  const [narrow, wide] = isAnswer ? [sets[1], sets[0]] : sets;
  const covers = (type) => wide.has(type) || wide.has('any') || (type === 'integer' && wide.has('number'));
  return [...narrow].every(covers)
    ? undefined
    : `type ${[before ?? 'any'].flat()} became ${[after ?? 'any'].flat()}`;
}

const OMITTED = new Set(['content', 'application/json', 'schema', 'properties', 'requestBody', 'parameters']);

/** The place of a difference in words. A parameter has its name, because its number changes with other parameters. */
function placeOf({ path, before, after }, old) {
  const [, route, method = '', part, ...rest] = path.map(String);
  if (part === 'parameters')
    rest[0] =
      after?.name ?? before?.name ?? old.paths[route]?.[method]?.parameters?.[rest[0]]?.name ?? rest[0];
  const where = { requestBody: ', body', responses: `, answer ${rest[0]}`, parameters: ', parameter' }[part];
  const shown = (part === 'responses' ? rest.slice(1) : rest).filter((name) => !OMITTED.has(name));
  return `${method.toUpperCase()} ${route}${where ?? ''}${shown.length > 0 ? `, ${shown.join('.')}` : ''}`;
}
