import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { HealthCheckStatus, HealthIndicatorResult } from '@nestjs/terminus';
import { ErrorBody } from '../../common/errors/error-body.js';
import { VERSION } from '../../common/version.js';

type Parts = Partial<HealthIndicatorResult>;

const PARTS = {
  type: 'object' as const,
  additionalProperties: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['up', 'down'] } },
    additionalProperties: true,
  },
};
const UP = { database: { status: 'up' }, memory_heap: { status: 'up' }, redis: { status: 'up' } };

const Version = () =>
  ApiPropertyOptional({ example: VERSION, description: 'The version of this release; `/health` only' });

/** Report of a probe if all checked parts are up. */
export class HealthReport {
  @ApiProperty({ type: String, example: 'ok' })
  status: HealthCheckStatus;

  @ApiProperty({
    ...PARTS,
    example: UP,
    description:
      'Dependencies that are up. `redis` has `mode: "in-process"` without Redis; `database` has `collation: "changed"` if its text indexes need a REINDEX',
  })
  info: Parts;

  @ApiProperty({ ...PARTS, example: {}, description: 'Dependencies that are down' })
  error: Parts;

  @ApiProperty({ ...PARTS, example: UP, description: 'Both' })
  details: Parts;

  @Version()
  version?: string;
}

/** Report of a probe if a part is down: the usual error body, with the state of the parts. */
export class UnhealthyReport extends ErrorBody {
  @ApiProperty({ type: String, enum: ['error', 'shutting_down'], example: 'error' })
  status: HealthCheckStatus;

  @ApiProperty({ ...PARTS, example: { memory_heap: { status: 'up' } }, description: 'Parts that are up' })
  info: Parts;

  @ApiProperty({
    ...PARTS,
    example: { memory_heap: { status: 'up' }, database: { status: 'down', message: 'unreachable' } },
    description: 'All checked dependencies',
  })
  details: Parts;

  @Version()
  version?: string;
}

/** Report that the process is running. */
export class LiveReport {
  @ApiProperty({ example: 'ok' })
  status: 'ok';
}
