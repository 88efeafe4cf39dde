import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '../common/access/principal.js';
import { downloadHeaders } from '../documents/http/send-download.js';
import { DonorExport } from './donor-export.service.js';
import { DonorStatements } from './donor-statements.service.js';

/** Answers requests about one person with files; their names say nothing of the person. */
@Injectable()
export class DonorDownloads {
  constructor(
    private readonly exported: DonorExport,
    private readonly statements: DonorStatements,
  ) {}

  async everything(caller: Principal, key: string, response: Response): Promise<void> {
    const content = await this.exported.of(caller, key);
    response
      .set(downloadHeaders('donor.json', 'application/json; charset=utf-8'))
      .end(JSON.stringify(content, null, 2));
  }

  async statement(caller: Principal, key: string, year: number, response: Response): Promise<void> {
    const pdf = await this.statements.of(caller, key, year);
    response.set(downloadHeaders(`statement-${year}.pdf`, 'application/pdf')).end(pdf);
  }
}
