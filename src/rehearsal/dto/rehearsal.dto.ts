import { ApiProperty } from '@nestjs/swagger';
import { emailProblem } from '../../common/text/email-address.js';
import { Check, Flag } from '../../common/validation/field.decorators.js';

const MOST_ADDRESSES = 20;
const TIME = { format: 'date-time', example: '2026-11-21T18:00:00.000Z' };
const MAIL_TO = ['team@charity.example'];

/** Body of `POST /events/:id/rehearsal`. */
export class StartRehearsal {
  @ApiProperty({
    example: false,
    description: 'True copies the names of the guests; false gives sample names',
  })
  @Flag()
  withNames: boolean;

  @ApiProperty({
    type: [String],
    example: MAIL_TO,
    description: 'Addresses of the team. E-mails to other addresses are not sent',
  })
  @Check(
    (value) =>
      Array.isArray(value) && value.length <= MOST_ADDRESSES && value.every((one) => !emailProblem(one))
        ? undefined
        : `must be a list of at most ${MOST_ADDRESSES} e-mail addresses`,
    { type: 'array', items: { type: 'string', format: 'email' }, maxItems: MOST_ADDRESSES },
  )
  mailTo: string[];
}

export class RehearsalDto {
  @ApiProperty({
    format: 'uuid',
    example: '01937a5e-8c1f-7b6a-9d53-726568656172',
    description: 'The event of the rehearsal',
  })
  eventId: string;

  @ApiProperty({ example: 'summer-gala-rehearsal' })
  slug: string;

  @ApiProperty({ example: false, description: 'True if the guests have their own names' })
  withNames: boolean;

  @ApiProperty({ type: [String], example: MAIL_TO })
  mailTo: string[];

  @ApiProperty(TIME)
  startedAt: string;

  @ApiProperty({ ...TIME, description: 'Time of the newest donation, or of the start' })
  lastUsedAt: string;

  @ApiProperty({ ...TIME, description: 'End of the rehearsal if it is not used before' })
  endsAt: string;

  @ApiProperty({ example: false, description: 'True while its data is being deleted' })
  isEnding: boolean;
}
