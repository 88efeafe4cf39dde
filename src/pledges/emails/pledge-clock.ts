import { Injectable } from '@nestjs/common';

/** The time for the schedule of e-mails about pledges. Tests move it. */
@Injectable()
export class PledgeClock {
  now(): Date {
    return new Date();
  }
}
