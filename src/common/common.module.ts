import { Global, Module } from '@nestjs/common';
import { CommittedChanges } from './caching/committed-changes.js';
import { AnswerAges, KeptAnswers } from './http/kept-answers.js';
import { CrowdedAddresses } from './http/crowded-addresses.js';
import { TrustedNetworks } from './http/client-address.js';
import { KeyRing } from './crypto/key-ring.js';
import { Metrics } from './metrics/metrics.js';
import { RecordingFailures } from './recording-failures.js';
import { Backlogs } from './concurrency/concurrency.js';

const SHARED = [
  AnswerAges,
  Backlogs,
  CommittedChanges,
  CrowdedAddresses,
  KeptAnswers,
  KeyRing,
  Metrics,
  RecordingFailures,
  TrustedNetworks,
];

@Global()
@Module({
  providers: SHARED,
  exports: SHARED,
})
export class CommonModule {}
