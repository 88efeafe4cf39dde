/** Scopes of API keys, in the order of the documentation and of the dashboard. */
export const API_SCOPE_NAMES = ['read', 'read:personal', 'export', 'record', 'guests', 'webhooks'] as const;
export type ApiScope = (typeof API_SCOPE_NAMES)[number];
