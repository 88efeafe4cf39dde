import { Global, Module } from '@nestjs/common';
import { TrustedNetworks } from './http/trusted-networks.js';
import { KeyRing } from './key-ring.js';
import { Metrics } from './metrics/metrics.js';

@Global()
@Module({ providers: [KeyRing, Metrics, TrustedNetworks], exports: [KeyRing, Metrics, TrustedNetworks] })
export class CommonModule {}
