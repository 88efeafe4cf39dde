import type { Rule } from 'eslint';

declare const plugin: { readonly rules: Readonly<Record<string, Rule.RuleModule>> };
export default plugin;
