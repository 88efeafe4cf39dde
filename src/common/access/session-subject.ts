import { accountOf, type Role } from './capabilities.js';

/** Whose sessions: `admin:<id>` or `staff:<id>`, after the table the person signs in from. */
export type SessionSubject = `admin:${string}` | `staff:${string}`;

export const subjectOf = ({ role, id }: { role: Role; id: string }): SessionSubject =>
  `${accountOf(role)}:${id}`;
