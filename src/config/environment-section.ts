import { z } from 'zod';
import { groupProblem, problemsOf } from './variables.js';

/** What a section makes of the environment. */
export interface ReadSection<Settings> {
  /** Undefined when the section is not configured. */
  readonly settings: Settings | undefined;
  readonly problems: readonly string[];
  /** What an operator should know at start-up in production. */
  readonly warnings: readonly string[];
}

/**
 * The variables of one optional part of the service, kept beside that part and read with all others at start-up,
 * so that a wrong variable stops the start wherever it belongs.
 */
export interface EnvironmentSection<Settings = unknown> {
  readonly name: string;
  read(source: NodeJS.ProcessEnv): ReadSection<Settings>;
}

interface SectionRules<Shape extends z.ZodRawShape, Required extends keyof Shape & string, Settings> {
  readonly variables: Shape;
  /** Set together or not at all; the section is configured when they are. */
  readonly required: readonly Required[];
  /** The settings, from variables of which the required ones are set. */
  readonly settings: (env: WithRequired<z.output<z.ZodObject<Shape>>, Required>) => Settings;
  /** Variables that only a machine of a developer may have. */
  readonly refusedInProduction?: readonly (keyof Shape & string)[];
  readonly warnings?: (env: z.output<z.ZodObject<Shape>>) => readonly (string | false)[];
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
  {
    variables,
    required,
    settings,
    refusedInProduction = [],
    warnings,
  }: SectionRules<Shape, Required, Settings>,
): EnvironmentSection<Settings> {
  const schema = z.object(variables);
  return {
    name,
    read: (source) => {
      const parsed = schema.safeParse(source);
      if (!parsed.success) return { settings: undefined, problems: problemsOf(parsed.error), warnings: [] };
      const env = parsed.data;
      const values: Readonly<Record<string, unknown>> = env;
      const problem = groupProblem(required, env);
      const refused = refusedInProduction
        .filter((variable) => source.NODE_ENV === 'production' && values[variable] !== undefined)
        .map((variable) => `${variable} is for development and must not be set in production`);
      const complete = isComplete(env, required);
      return {
        settings: complete ? settings(env) : undefined,
        problems: problem === undefined ? refused : [problem, ...refused],
        warnings: (warnings?.(env) ?? []).filter((warning) => warning !== false),
      };
    },
  };
}

const isComplete = <Values extends object, Required extends PropertyKey>(
  env: Values,
  required: readonly Required[],
): env is WithRequired<Values, Required> =>
  required.every((name) => (env as Readonly<Record<PropertyKey, unknown>>)[name] !== undefined);
