export function packTexts(table: Readonly<Record<string, string>>): string;
