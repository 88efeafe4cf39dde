export function deployAsPrisma(
  databaseUrl: string,
  migrations: readonly { readonly name: string; readonly sql: string }[],
): Promise<string[]>;
export function schemaDrift(databaseUrl: string, schemaFile?: string): Promise<string>;
