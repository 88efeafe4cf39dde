// Fails on English that needs a second reading, in comments, test titles, log and error messages, and the texts of pages.
// `npm run check` runs it; `node scripts/plain-words.mjs src/auth` looks at one folder. Rules: plain-words-rules.mjs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { ALLOWED, LONGEST, RULES, TEXT_RULES } from './plain-words-rules.mjs';

const TITLE = /^(?:it|test|describe)\b/;
const LOG = /\b(?:logger|log)\b.*\.(?:log|info|warn|error|debug|fatal)$|^console\.(?:log|warn|error)$/;
const FAILURE = /(?:Error|Exception)$/;

/** Sentences of `text`, without comment marks, code in backquotes and quoted text. */
export function sentencesOf(text) {
  return text
    .replace(/^\s*(?:\/\*\*?|\/\/+|\*(?!\/))/gm, ' ')
    .replace(/\*\/\s*$/, '')
    .replace(/`[^`]*`/g, '…')
    .replace(/"[^"\n]*"/g, '…')
    .replace(/\{@?\w[^}]*\}/g, '…')
    .split(/(?<=[.!?])\s+|\n\s*\n|\n\s*[-*] |[;:]\s/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** Each problem of `text` as `{ sentence, name, write }`. `forUsers` adds the rules for texts that users read. */
export function problemsOf(text, { forUsers = false } = {}) {
  const rules = forUsers ? [...RULES, ...TEXT_RULES] : RULES;
  return sentencesOf(text).flatMap((sentence) => {
    const found = rules
      .filter(({ pattern }) => pattern.test(sentence))
      .map(({ name, write }) => ({ sentence, name, write }));
    if (sentence.split(' ').length > LONGEST)
      found.push({ sentence, name: 'long sentence', write: 'two sentences' });
    return found;
  });
}

/** The words of an expression: literals and the fixed parts of templates. */
function wordsOf(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
  if (ts.isBinaryExpression(node)) return [[...wordsOf(node.left), ...wordsOf(node.right)].join('')];
  if (ts.isConditionalExpression(node)) return [...wordsOf(node.whenTrue), ...wordsOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return wordsOf(node.expression);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) && ['msg', 'message'].includes(property.name.getText())
        ? wordsOf(property.initializer)
        : [],
    );
  return [];
}

/** Every text of a source file that the rules are about, as `{ line, kind, text }`. */
export function textsOf(name, source) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const texts = [];
  const seen = new Set();
  const add = (position, kind, text) =>
    texts.push({ line: file.getLineAndCharacterOfPosition(position).line + 1, kind, text });
  const addComments = (ranges) => {
    // Comments of single lines that follow each other are one text.
    let last;
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const text = source.slice(pos, end);
      if (/eslint-disable|@ts-|prettier-ignore|^\/\/\/|^\/\*! /.test(text)) continue;
      if (last && text.startsWith('//') && /^\n[ \t]*$/.test(source.slice(last.end, pos).replace(/\r/g, '')))
        last.text.text += `\n${text}`;
      else {
        add(pos, 'comment', text);
        last = { text: texts.at(-1) };
      }
      last.end = end;
    }
  };
  const visit = (node) => {
    addComments(ts.getLeadingCommentRanges(source, node.pos));
    addComments(ts.getTrailingCommentRanges(source, node.end));
    // Statements in SQL have comments of their own.
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      for (const [text] of node.text.matchAll(/^\s*-- .*(?:\n\s*-- .*)*/gm))
        add(node.getStart(file), 'comment', text.replace(/^\s*-- /gm, ''));
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText(file);
      const kind = TITLE.test(callee) ? 'title' : LOG.test(callee) ? 'log' : undefined;
      const read = kind === 'title' ? node.arguments.slice(0, 1) : kind ? node.arguments : [];
      for (const text of read.flatMap(wordsOf)) add(node.getStart(file), kind, text);
    }
    if (ts.isNewExpression(node) && FAILURE.test(node.expression.getText(file)))
      for (const text of (node.arguments ?? []).flatMap(wordsOf)) add(node.getStart(file), 'error', text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts;
}

/** The comments of a file that is neither code nor JSON. */
export function textsOfOther(name, source) {
  const pattern = name.endsWith('.css')
    ? /\/\*[\s\S]*?\*\//g
    : name.endsWith('.prisma')
      ? /^\s*\/\/.*(?:\n\s*\/\/.*)*/gm
      : /^\s*#(?!!).*(?:\n\s*#(?!!).*)*/gm;
  return [...source.matchAll(pattern)].map(({ 0: text, index }) => ({
    line: source.slice(0, index).split('\n').length + (/^\n/.test(text) ? 1 : 0),
    kind: 'comment',
    text: text.replace(/^\s*#+/gm, ''),
  }));
}

/** The texts of a JSON file: all of a page's texts, the summaries and descriptions of an API. */
export function textsOfJson(name, source) {
  const texts = [];
  const visit = (value, key, path) => {
    if (typeof value === 'string') {
      if (!/api\.json$/.test(name) || ['summary', 'description'].includes(key))
        texts.push({ line: path, kind: 'text', text: value });
    } else if (value && typeof value === 'object')
      for (const [inner, one] of Object.entries(value)) visit(one, inner, path ? `${path}.${inner}` : inner);
  };
  visit(JSON.parse(source), '', '');
  return texts;
}

const isJson = (name) => /(?:^|\/)texts\/en\.json$|^(?:open|async)api\.json$/.test(name);
const isOther = (name) =>
  /\.(?:css|prisma|ya?ml|conf|sh)$|(?:^|\/)(?:\.env\.example|Dockerfile|Caddyfile|\.ci\/[\w-]+)$/.test(
    name,
  ) && !name.startsWith('test/');
const isCode = (name) => /\.(?:ts|tsx|mjs)$/.test(name) && !/^scripts\/plain-words|\.d\.m?ts$/.test(name);

function main(folders) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const names = execFileSync('git', ['ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => isJson(name) || isCode(name) || isOther(name));
  const used = new Set();
  let count = 0;
  for (const name of names) {
    const source = readFileSync(`${root}/${name}`, 'utf8');
    const read = isJson(name) ? textsOfJson : isCode(name) ? textsOf : textsOfOther;
    for (const { line, kind, text } of read(name, source)) {
      for (const problem of problemsOf(text, {
        forUsers: isJson(name) || (kind === 'error' && name.startsWith('src/')),
      })) {
        const allowed = ALLOWED.find(({ file, words }) => file === name && problem.sentence.includes(words));
        if (allowed) used.add(allowed);
        else {
          count++;
          console.log(
            `${name}:${line} ${kind}, ${problem.name}: "${problem.sentence}" (write: ${problem.write})`,
          );
        }
      }
    }
  }
  if (folders.length === 0)
    for (const entry of ALLOWED)
      if (!used.has(entry)) {
        count++;
        console.log(
          `plain-words-rules.mjs: no sentence of ${entry.file} contains "${entry.words}": remove the entry`,
        );
      }
  if (count > 0) console.log(`${count} sentences need a second reading.`);
  return count === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = main(process.argv.slice(2)) ? 0 : 1;
