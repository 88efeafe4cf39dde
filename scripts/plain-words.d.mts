export type Problem = { readonly sentence: string; readonly name: string; readonly write: string };
export type Text = { readonly line: number | string; readonly kind: string; readonly text: string };
export function sentencesOf(text: string): string[];
export function problemsOf(text: string, options?: { readonly forUsers?: boolean }): Problem[];
export function textsOf(name: string, source: string): Text[];
export function textsOfOther(name: string, source: string): Text[];
export function textsOfJson(name: string, source: string): Text[];
