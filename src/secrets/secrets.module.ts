import { Module } from '@nestjs/common';
import { SecretReplacement } from './secret-replacement.service.js';

@Module({ providers: [SecretReplacement] })
export class SecretsModule {}
