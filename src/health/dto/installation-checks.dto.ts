import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHECK_NAMES, CHECK_STATES, type CheckName, type CheckState } from '../checks/check.js';

class CheckFinding {
  @ApiProperty({ type: String, enum: ['unknown', 'doubtful', 'wrong'], example: 'wrong' })
  state: 'unknown' | 'doubtful' | 'wrong';

  @ApiProperty({ example: 'TRUST_PROXY', description: 'The variable or setting to change' })
  change: string;

  @ApiProperty({ example: 'is off, but a proxy answers for PUBLIC_URL with TLS' })
  says: string;

  @ApiPropertyOptional({
    example: 'the number of proxies in front, such as 1',
    description: 'The text to write',
  })
  write?: string;
}

class InstallationCheck {
  @ApiProperty({ type: String, enum: CHECK_NAMES, example: 'backups' })
  check: CheckName;

  @ApiProperty({
    type: String,
    enum: CHECK_STATES,
    example: 'ok',
    description: '`off`: this part is not set up. `unknown`: the check got no answer, so it is not fine',
  })
  state: CheckState;

  @ApiProperty({ type: [CheckFinding] })
  findings: CheckFinding[];
}

export class InstallationReport {
  @ApiProperty({ format: 'date-time', example: '2026-11-21T17:30:00.000Z' })
  checkedAt: string;

  @ApiProperty({ type: [InstallationCheck] })
  checks: InstallationCheck[];
}
