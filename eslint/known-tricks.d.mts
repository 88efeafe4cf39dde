export const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>>;
