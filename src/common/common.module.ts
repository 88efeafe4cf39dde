import { Global, Module } from '@nestjs/common';
import { Backlogs } from './backlogs.js';
import { TrustedNetworks } from './http/trusted-networks.js';
import { KeyRing } from './key-ring.js';
import { Metrics } from './metrics/metrics.js';

@Global()
@Module({
  providers: [Backlogs, KeyRing, Metrics, TrustedNetworks],
  exports: [Backlogs, KeyRing, Metrics, TrustedNetworks],
})
export class CommonModule {}
