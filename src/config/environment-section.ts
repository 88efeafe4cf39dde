import * as z from 'zod';
import { judge, type Rule } from './rules.js';
import { groupProblem, parseEach } from './variables.js';

/** The result of reading a section from the environment. */
export interface ReadSection<Settings> {
  /** Undefined if the section is not configured. */
  readonly settings: Settings | undefined;
  readonly problems: readonly string[];
  /** Warnings for the operator, logged at start-up in production. */
  readonly warnings: readonly string[];
}

/**
 * The variables of one optional part of the service. They are defined in that part, but read at start-up together with all
 * other variables. So a wrong variable always stops the start.
 */
export interface EnvironmentSection<Settings = unknown> {
  readonly name: string;
  readonly variables: readonly string[];
  /** The format of each variable, for a technician who has to correct it. */
  readonly formats: Readonly<Record<string, string>>;
  read(source: NodeJS.ProcessEnv): ReadSection<Settings>;
}

type SectionValues<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

interface SectionRules<Shape extends z.ZodRawShape, Required extends keyof Shape & string, Settings> {
  readonly variables: Shape;
  /** The format of each variable, for a technician who has to correct it. */
  readonly formats?: Readonly<Record<keyof Shape & string, string>>;
  /** Variables that must be set together or not at all. The section is configured if they are set. */
  readonly required: readonly Required[];
  /** Returns the settings. Called only if the required variables are set. */
  readonly settings: (env: WithRequired<SectionValues<Shape>, Required>) => Settings;
  /** Rules for the variables of this section. */
  readonly rules?: readonly Rule<SectionValues<Shape>>[];
  readonly warnings?: (env: SectionValues<Shape>) => readonly (string | false)[];
}

type WithRequired<Values, Required extends PropertyKey> = Values & {
  readonly [Name in Required & keyof Values]: NonNullable<Values[Name]>;
};

export function environmentSection<
  Shape extends z.ZodRawShape,
  Required extends keyof Shape & string,
  Settings,
>(
  name: string,
  { variables, formats, required, settings, rules = [], warnings }: SectionRules<Shape, Required, Settings>,
): EnvironmentSection<Settings> {
  return {
    name,
    variables: Object.keys(variables),
    formats: formats ?? {},
    read: (source) => {
      const { values, wrong, problems } = parseEach(variables, source);
      const env = values as SectionValues<Shape>;
      const partial = groupProblem(required, { ...unread(required, source), ...values });
      const judged = judge(
        rules,
        env as Partial<SectionValues<Shape>>,
        source.NODE_ENV === 'production',
        wrong,
      );
      const all = [...problems, ...(partial === undefined ? [] : [partial]), ...judged.problems];
      return {
        settings: all.length === 0 && isComplete(env, required) ? settings(env) : undefined,
        problems: all,
        warnings: [...judged.warnings, ...(warnings?.(env) ?? []).filter((warning) => warning !== false)],
      };
    },
  };
}

/** Returns the variables that are set. A variable with a wrong value is included, because it is not missing. */
const unread = (names: readonly string[], source: NodeJS.ProcessEnv) =>
  Object.fromEntries(names.filter((name) => source[name]?.trim()).map((name) => [name, source[name]]));

const isComplete = <Values extends object, Required extends PropertyKey>(
  env: Values,
  required: readonly Required[],
): env is WithRequired<Values, Required> =>
  required.every((name) => (env as Readonly<Record<PropertyKey, unknown>>)[name] !== undefined);
