export function withOurHelpers(text: string): string;
export function namedByLanguage(text: string): string;
