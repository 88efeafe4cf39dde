/**
 * Query for `EXISTS (…)`: sign-ins of a staff member on an enrolled terminal. The audit log has one row for each sign-in,
 * written before the response. These rows never change.
 * @param terminal and `member`: SQL of type uuid
 */
export const signInsOn = (terminal: string, member: string): string =>
  `SELECT FROM audit_entry sign_in WHERE sign_in.subject_id = ${member}::text AND sign_in.action = 'staff.sign_in'
      AND sign_in.detail ->> 'terminal' = ${terminal}::text`;
