import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Books } from './books.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { Indicators } from './indicators.js';
import { InstallationChecks } from './installation-checks.service.js';
import { MetricsServer } from './metrics-server.js';
import { RelayWatch } from './relay-watch.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [Books, HealthService, Indicators, InstallationChecks, MetricsServer, RelayWatch],
  exports: [InstallationChecks],
})
export class HealthModule {}
