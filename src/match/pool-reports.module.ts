import { Module } from '@nestjs/common';
import { PoolReports } from './pool-reports.service.js';

/** Sums of match pools for reports. A module of its own, because reports need nothing else of the pools. */
@Module({ providers: [PoolReports], exports: [PoolReports] })
export class PoolReportsModule {}
