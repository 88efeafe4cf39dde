import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { API_SCOPE_NAMES, type ApiScope } from '../../common/access/api-scope-names.js';
import {
  ADMIN_ROLES,
  API_ROLE,
  CAPABILITIES,
  type Capability,
  type Role,
} from '../../common/access/principal.js';
import { Password } from './sign-in.dto.js';

const ID = { format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' };

/** The signed-in user. */
class OwnUser {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ada@example.org',
    description: 'Null for staff and keys',
  })
  email: string | null;

  @ApiProperty({ enum: [...ADMIN_ROLES, 'STAFF', API_ROLE], example: 'ADMIN' })
  role: Role;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;
}

class OwnSecondFactor {
  @ApiProperty({ example: true, description: 'True if an authenticator app is set up' })
  enabled: boolean;

  @ApiProperty({
    example: false,
    description:
      'True if the organization requires a second factor. If it is required and not enabled, only its set-up is allowed',
  })
  required: boolean;
}

class OwnEvent {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'summer-gala' })
  slug: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;
}

/** The API key of a request. */
class OwnKey {
  @ApiProperty({ enum: API_SCOPE_NAMES, isArray: true, example: ['read'] })
  scopes: ApiScope[];

  @ApiProperty({
    type: [String],
    format: 'uuid',
    example: [ID.example],
    description: 'Ids of the events that the key may see; empty for all events',
  })
  eventIds: string[];

  @ApiProperty({ format: 'date-time', example: '2027-11-21T18:00:00.000Z' })
  expiresAt: string;
}

/** Answer of `GET /auth/me`. */
export class OwnAccount {
  @ApiProperty({ type: OwnUser })
  user: OwnUser;

  @ApiProperty({ enum: Object.keys(CAPABILITIES), isArray: true, example: ['events:list'] })
  capabilities: Capability[];

  @ApiProperty({ type: OwnSecondFactor })
  secondFactor: OwnSecondFactor;

  @ApiPropertyOptional({
    example: true,
    description: 'True if the server sends e-mails (`SMTP_URL`); absent for a staff sign-in',
  })
  emailIsOn?: boolean;

  @ApiPropertyOptional({ type: OwnEvent, description: 'Event of a staff sign-in' })
  event?: OwnEvent;

  @ApiPropertyOptional({ type: OwnKey, description: 'Only for an API key' })
  key?: OwnKey;

  @ApiPropertyOptional({ ...ID, description: 'Absent for an API key' })
  sessionId?: string;
}

/** Body of `POST /auth/password`. */
export class ChangePassword {
  @Password()
  current: string;

  @Password()
  next: string;
}

/** Body of `POST /auth/confirm`. */
export class ConfirmIdentity {
  @Password()
  password: string;
}

/** Answer of `POST /auth/confirm`. */
export class Confirmation {
  @ApiProperty({
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTkzN2E1ZSJ9.c2lnbmF0dXJl',
    description: 'Value of `X-Confirmation` for changes by this sign-in',
  })
  confirmation: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:10:00.000Z' })
  expiresAt: string;
}

/** A session that can still be renewed. */
export class OpenSession {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  createdAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T19:30:00.000Z',
    description: 'Time of the last renewal',
  })
  lastUsedAt: string;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  address: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Firefox on Windows' })
  client: string | null;

  @ApiProperty({ example: true, description: 'True for the current sign-in' })
  current: boolean;
}

/** Answer of `GET /auth/sessions`. */
export class OpenSessions {
  @ApiProperty({ type: [OpenSession] })
  data: OpenSession[];
}

/** Answer of `DELETE /auth/sessions/:id`. */
export class SessionEnded {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

class IdpMethod {
  @ApiProperty({
    example: 'https://donate.example.org/auth/idp',
    description: 'Address at which the browser starts',
  })
  url: string;
}

/** Answer of `GET /auth/methods`. */
export class SignInMethodsDto {
  @ApiProperty({ example: true, description: 'True if e-mail and password are accepted' })
  password: boolean;

  @ApiProperty({
    example: true,
    description: 'True if `POST /auth/password-reset` sends links: passwords and e-mail are on',
  })
  passwordReset: boolean;

  @ApiProperty({
    type: IdpMethod,
    nullable: true,
    description: 'The identity provider; null if none is configured',
  })
  idp: IdpMethod | null;
}
