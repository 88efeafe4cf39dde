import { Global, Module } from '@nestjs/common';
import { KeyRing } from './key-ring.js';

@Global()
@Module({ providers: [KeyRing], exports: [KeyRing] })
export class CommonModule {}
