export const ALLOWED: readonly { readonly file: string; readonly words: string; readonly reason: string }[];
