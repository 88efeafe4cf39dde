import { NotFoundError } from '../common/errors/domain-errors.js';

export const guestMissing = () => new NotFoundError('GUEST_NOT_FOUND', 'There is no such guest');
