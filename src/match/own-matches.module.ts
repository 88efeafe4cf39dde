import { Module } from '@nestjs/common';
import { OwnMatches } from './own-matches.service.js';

/** Sums that single donations drew from match pools. A module of its own, because payments use it. */
@Module({ providers: [OwnMatches], exports: [OwnMatches] })
export class OwnMatchesModule {}
