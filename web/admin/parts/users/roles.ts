import { word } from '../../../desk/texts.js';

const ROLES = ['ADMIN', 'ACCOUNTANT'] as const;
export type Role = (typeof ROLES)[number];

export const roleChoices = () => ROLES.map((value) => ({ value, label: word('role', value) }));
