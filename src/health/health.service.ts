import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorFunction } from '@nestjs/terminus';
import type { HealthReport, UnhealthyReport } from './dto/health.dto.js';
import { Indicators } from './indicators.js';
import { SharedCheck } from './shared-check.js';

const KEEP_MS = 1_000;

/** What the probes are told; one check a second at most, however many probes there are. */
@Injectable()
export class HealthService {
  private readonly whole: SharedCheck<HealthReport | UnhealthyReport>;
  private readonly readiness: SharedCheck<HealthReport | UnhealthyReport>;

  constructor(
    private readonly health: HealthCheckService,
    indicators: Indicators,
  ) {
    const database = () => indicators.database();
    const parts = [database, () => indicators.memoryHeap(), () => indicators.redis()];
    this.whole = new SharedCheck(() => this.check(parts), KEEP_MS);
    this.readiness = new SharedCheck(() => this.check([() => indicators.databaseReady()]), KEEP_MS);
  }

  /** Database, memory and cache. */
  all(): Promise<HealthReport | UnhealthyReport> {
    return this.whole.ask();
  }

  /** The database and its schema alone: losing Redis must not take every instance out of the balancer. */
  ready(): Promise<HealthReport | UnhealthyReport> {
    return this.readiness.ask();
  }

  private async check(parts: HealthIndicatorFunction[]): Promise<HealthReport | UnhealthyReport> {
    try {
      return (await this.health.check(parts)) as HealthReport;
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return unhealthy(error.getResponse() as HealthCheckResult);
    }
  }
}

/** Terminus's result in the one shape of errors: its own `error`, an object, gives way to `details`. */
function unhealthy({ status, info, error, details }: HealthCheckResult): UnhealthyReport {
  const down = Object.keys(error ?? {});
  return {
    statusCode: 503,
    message: down.length > 0 ? `Down: ${down.join(', ')}` : 'The service is shutting down',
    error: 'Service Unavailable',
    code: 'UNHEALTHY',
    status,
    info: info ?? {},
    details,
  };
}
