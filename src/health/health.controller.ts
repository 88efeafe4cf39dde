import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Auth, Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { HealthReport, LiveReport, UnhealthyReport } from './dto/health.dto.js';
import { InstallationReport } from './dto/installation-checks.dto.js';
import { HealthService } from './health.service.js';
import { InstallationChecks } from './installation-checks.service.js';

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
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly installation: InstallationChecks,
  ) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Check database, memory heap and cache; 503 if one is down' })
  @ApiOkResponse({ type: HealthReport })
  @Unhealthy()
  @ApiErrors(429)
  async all(@Res({ passthrough: true }) response: Response): Promise<HealthReport | UnhealthyReport> {
    return withStatus(response, await this.health.all());
  }

  @Get('live')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Liveness probe: the process answers' })
  @ApiOkResponse({ type: LiveReport })
  live(): LiveReport {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
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

  @Get('checks')
  @Auth('installation:check')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Check the installation as `npm run doctor` does, from the running server',
    description: 'Takes some seconds. Requests of the same ten seconds share one result.',
  })
  @ApiOkResponse({ type: InstallationReport })
  checks(@Req() request: Request): Promise<InstallationReport> {
    return this.installation.read(request.ip, request.headers);
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
