import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { HealthReport, LiveReport, UnhealthyReport } from './dto/health.dto.js';
import { HealthService } from './health.service.js';

const Unhealthy = () =>
  ApiResponse({
    status: 503,
    description: 'A dependency is down; Retry-After gives the time to the next try',
    type: UnhealthyReport,
    example: {
      statusCode: 503,
      message: 'Down: database',
      error: 'Service Unavailable',
      code: 'UNHEALTHY',
      status: 'error',
      info: {},
      details: { database: { status: 'down', message: 'unreachable' } },
    },
  });

@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Check database, memory heap and cache; 503 if one is down' })
  @ApiOkResponse({ type: HealthReport })
  @Unhealthy()
  @ApiErrors(429)
  async all(@Res({ passthrough: true }) response: Response): Promise<HealthReport | UnhealthyReport> {
    return withStatus(response, await this.health.all());
  }

  @Get('live')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Liveness probe: the process answers' })
  @ApiOkResponse({ type: LiveReport })
  live(): LiveReport {
    return { status: 'ok' };
  }

  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary:
      'Readiness probe for the load balancer: the database answers, has the schema of this release and no long queue',
  })
  @ApiOkResponse({ type: HealthReport })
  @Unhealthy()
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthReport | UnhealthyReport> {
    return withStatus(response, await this.health.ready());
  }
}

function withStatus<Report extends HealthReport | UnhealthyReport>(
  response: Response,
  report: Report,
): Report {
  if (!('statusCode' in report)) return report;
  response.status(report.statusCode).setHeader('Retry-After', '5');
  return report;
}
