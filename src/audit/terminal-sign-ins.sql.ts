/**
 * The sign-ins of a member on an enrolled terminal, for `EXISTS (…)`: the audit has one row of each, written before the
 * sign-in is answered, and no row of it ever changes.
 * @param terminal and `member`: SQL of type uuid
 */
export const signInsOn = (terminal: string, member: string): string =>
  `SELECT FROM audit_entry sign_in WHERE sign_in.subject_id = ${member}::text AND sign_in.action = 'staff.sign_in'
      AND sign_in.detail ->> 'terminal' = ${terminal}::text`;
