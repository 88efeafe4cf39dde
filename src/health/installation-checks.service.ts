import { resolveMx } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { answerCache } from '../common/caching/answer-cache.js';
import { isInside } from '../config/advice.js';
import { AppConfig } from '../config/app-config.js';
import { PROVIDER_DEFINITIONS, type ProviderDefinition } from '../payments/providers/provider-definition.js';
import { checkInstallation } from './checks/check-installation.js';
import { doubtful, type Finding, partsOf, resultOf, wrong } from './checks/check.js';
import { secretsOf, withoutSecrets } from './checks/secrets.js';
import { whatToWrite } from './checks/what-to-write.js';
import type { InstallationReport } from './dto/installation-checks.dto.js';

/** The checks ask other programs, so many requests share one run. The report of a rehearsal reads them again and again. */
const KEEP_MS = 30_000;

/** The checks of `npm run doctor`, made by the running server. */
@Injectable()
export class InstallationChecks {
  private readonly kept = answerCache<'checks', InstallationReport>({ max: 1, keptMs: KEEP_MS }, () =>
    this.run(),
  );

  constructor(
    private readonly config: AppConfig,
    @Inject(PROVIDER_DEFINITIONS) private readonly providers: readonly ProviderDefinition[],
  ) {}

  /** @param ip the address of the caller, as the server counts it; absent: no request is compared with `TRUST_PROXY` */
  async read(ip?: string, headers: IncomingHttpHeaders = {}): Promise<InstallationReport> {
    const kept = await this.kept.fetch('checks');
    if (!kept) throw new Error('the checks gave no result');
    const own = this.forwarded(ip, headers);
    return {
      checkedAt: kept.checkedAt,
      checks: kept.checks.map((one) => {
        if (one.check !== 'client addresses' || own.length === 0) return one;
        const findings = [...own, ...one.findings];
        return { ...resultOf(one.check, findings), findings };
      }),
    };
  }

  private async run(): Promise<InstallationReport> {
    const { config, providers } = this;
    const found = await checkInstallation({ config, providers, now: Date.now, mailHosts: resolveMx });
    const { databaseUrl, redisUrl, mail } = config;
    const passwords = secretsOf({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SMTP_URL: mail?.url });
    const checks = withoutSecrets(found, passwords);
    const warnings = config.warnings.map((line) => doubtful(...partsOf(line)));
    return {
      checkedAt: new Date().toISOString(),
      checks: [resultOf('configuration', warnings), ...checks].map(({ findings, ...rest }) => ({
        ...rest,
        findings: findings.map((finding) => ({ write: whatToWrite(finding.change, providers), ...finding })),
      })),
    };
  }

  /** Compares the request of the caller with `TRUST_PROXY`. */
  private forwarded(ip: string | undefined, headers: IncomingHttpHeaders): Finding[] {
    const chain = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
    if (chain.length === 0) return [];
    const write = whatToWrite('TRUST_PROXY', []);
    if (this.config.trustProxy === false)
      return [wrong('TRUST_PROXY', 'is off, but this request came through a proxy', write)];
    const isTooFew = ip !== undefined && isInside(ip) && chain.some((one) => !isInside(one));
    return isTooFew
      ? [
          wrong(
            'TRUST_PROXY',
            `names too few proxies: this request counts for ${ip}, the address of a proxy`,
            write,
          ),
        ]
      : [];
  }
}
