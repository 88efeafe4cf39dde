export const SERVER_ONLY: RegExp;
export function packTexts(table: Readonly<Record<string, string>>): string;
