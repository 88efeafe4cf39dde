import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow } from 'class-validator';
import { comparableEmail } from '../../common/text/email-address.js';
import { Expected } from '../../common/validation/expected.js';
import { Password } from '../../auth/dto/sign-in.dto.js';
import { ADMIN_ROLES, type AdminRole } from '../../common/access/principal.js';
import {
  Email,
  Flag,
  OneOf,
  OptionalText,
  Text,
  WhenSent,
} from '../../common/validation/field.decorators.js';

const ID = { format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' };
const NAME = { type: String, nullable: true, example: 'Ada Lovelace' };
const ROLE = { enum: ADMIN_ROLES, example: 'ACCOUNTANT' };
const INVITE_URL = {
  example: 'https://donate.example.org/admin#invite=b1cPzD5kq0Zr3Lh8u2nXwT6yVfM4sJaE9oGiKdRlQ7U',
  description: 'Link that sets the password of the account, once, within 72 hours. It is shown only now',
};
const EMAILED = { example: true, description: 'True if the link was also queued as an e-mail' };

export const USER_STATES = ['invited', 'active', 'disabled'] as const;
export type UserState = (typeof USER_STATES)[number];

/** E-mail address of an account, stored in its comparable form. */
const AccountEmail = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? comparableEmail(value) : value,
    ),
    Email(),
  );

/** A read-only field. Clients may send it back with its unchanged value. */
const ReadOnly = (docs: ApiPropertyOptions) =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      readOnly: true,
      description: 'Read-only: ignored when unchanged',
      ...docs,
    }),
    Allow(),
  );

/** Body of `POST /users`. */
export class InviteUser {
  @ApiProperty({ example: 'ada@example.org' })
  @AccountEmail()
  email: string;

  @ApiProperty({ example: 'ACCOUNTANT' })
  @OneOf(ADMIN_ROLES)
  role: AdminRole;

  @ApiPropertyOptional({ example: 'Ada Lovelace' })
  @OptionalText({ max: 200 })
  name?: string | null;
}

/** Body of `PATCH /users/:id`. Absent fields stay unchanged. */
export class UpdateUser {
  @ApiPropertyOptional({ example: 'ACCOUNTANT', description: "Another role ends the account's sessions" })
  @WhenSent()
  @OneOf(ADMIN_ROLES)
  role?: AdminRole;

  @ApiPropertyOptional({ example: 'Ada Lovelace' })
  @OptionalText({ max: 200 })
  name?: string | null;

  @ApiPropertyOptional({ example: true, description: "True ends the account's sessions and sockets at once" })
  @WhenSent()
  @Flag()
  disabled?: boolean;

  @Expected({ role: 'string', name: 'string', disabled: 'boolean' })
  expected?: { readonly role?: unknown; readonly name?: unknown; readonly disabled?: unknown };

  @ReadOnly(ID)
  id?: unknown;

  @ReadOnly({ example: 'ada@example.org' })
  email?: unknown;

  @ReadOnly({ enum: USER_STATES, example: 'active' })
  state?: unknown;

  @ReadOnly({ type: Boolean, example: false })
  secondFactor?: unknown;

  @ReadOnly({ type: 'object', nullable: true, additionalProperties: true, example: null })
  identity?: unknown;

  @ReadOnly({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  createdAt?: unknown;

  @ReadOnly({ format: 'date-time', nullable: true, example: null })
  lastSignInAt?: unknown;

  @ReadOnly({ format: 'date-time', nullable: true, example: null })
  invitationExpiresAt?: unknown;
}

/**
 * Fields that clients cannot change. They are accepted with unchanged values, because clients may send back the whole object.
 */
export const READ_ONLY_FIELDS = [
  'id',
  'email',
  'state',
  'secondFactor',
  'identity',
  'createdAt',
  'lastSignInAt',
  'invitationExpiresAt',
] as const satisfies readonly (keyof UpdateUser & keyof User)[];

/** The provider identity bound to an account. */
class BoundIdentity {
  @ApiProperty({ example: 'https://login.example.org' })
  issuer: string;
}

/** A user who signs in by password or identity provider. */
export class User {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'ada@example.org' })
  email: string;

  @ApiProperty(NAME)
  name: string | null;

  @ApiProperty(ROLE)
  role: AdminRole;

  @ApiProperty({ enum: USER_STATES, example: 'active' })
  state: UserState;

  @ApiProperty({ example: false, description: 'True if an authenticator app is set up' })
  secondFactor: boolean;

  @ApiProperty({ type: BoundIdentity, nullable: true })
  identity: BoundIdentity | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-21T19:30:00.000Z' })
  lastSignInAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'End of an open invitation or password link; a time in the past means expired',
  })
  invitationExpiresAt: string | null;
}

/** Answer of `GET /users`. */
export class Users {
  @ApiProperty({ type: [User] })
  data: User[];
}

/** Answer of `POST /users`. */
export class InvitedUser extends User {
  @ApiProperty(INVITE_URL)
  inviteUrl: string;

  @ApiProperty(EMAILED)
  emailed: boolean;
}

/** The removed user. */
export class UserRemoved {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

/** Answer of `DELETE /users/:id/sessions`. */
export class SessionsEnded {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({
    type: 'integer',
    example: 2,
    description: 'Number of ended sign-ins that could still be renewed',
  })
  ended: number;
}

/** Body of `POST /auth/invitations/accept`. */
export class AcceptInvitation {
  @ApiProperty({
    example: 'b1cPzD5kq0Zr3Lh8u2nXwT6yVfM4sJaE9oGiKdRlQ7U',
    description: 'Token after `#invite=` in the link',
  })
  @Text({ max: 200 })
  token: string;

  @Password()
  password: string;
}

/** Body of `POST /auth/password-reset`. */
export class RequestReset {
  @ApiProperty({ example: 'admin@example.org' })
  @Text({ max: 254 })
  email: string;
}

/** Answer of `POST /auth/password-reset`, the same for known and unknown addresses. */
export class ResetRequested {
  @ApiProperty({ enum: [true], example: true })
  requested: true;
}

/** Answer of `POST /auth/invitations/accept`. The user signs in next. */
export class InvitationAccepted {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'ada@example.org' })
  email: string;

  @ApiProperty({ enum: ADMIN_ROLES, example: 'ACCOUNTANT' })
  role: AdminRole;

  @ApiProperty(NAME)
  name: string | null;
}
