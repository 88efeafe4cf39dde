import { Controller, Get, Param, Query, Res, HttpCode, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors, ApiReceiptErrors } from '../common/http/api-errors.decorator.js';
import { ApiDownload } from '../documents/download-docs.decorator.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';
import { OneOf, Text, WhenSent } from '../common/validation/field.decorators.js';
import { EmailDto } from '../mail/dto/email.dto.js';
import { FrenchDeclarationDto, FrenchDeclarationQuery } from './dto/french-declaration.dto.js';
import { FrenchDeclaration } from './french-declaration.service.js';
import { IncompleteReceiptsDto } from './dto/incomplete-receipts.dto.js';
import { ReceiptPacksDto, ReceiptPacksQuery } from './dto/receipt-packs.dto.js';
import { formOf } from './packs/form-of-pack.js';
import { PACKS } from './packs/registry.js';
import { IncompleteReceipts } from './incomplete-receipts.service.js';
import { ReceiptEmails } from './receipt-emails.service.js';

export class ReceiptsZipQuery {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}

export class ReceiptQuery {
  @ApiPropertyOptional({
    default: 'receipt',
    example: 'acknowledgement',
    description:
      '`receipt`: the document for the tax office, if `receipts.pack` names its country; `acknowledgement`: an acknowledgement, ' +
      'unless the document was already issued',
  })
  @WhenSent()
  @OneOf(['receipt', 'acknowledgement'])
  form?: 'receipt' | 'acknowledgement';
}

@ApiTags('Exports')
@Controller('export/receipts')
export class ReceiptsController {
  constructor(
    private readonly downloads: ReceiptDownloads,
    private readonly incompletes: IncompleteReceipts,
  ) {}

  @Get('incomplete')
  @Auth('receipts:export')
  @ApiOperation({
    summary: 'Fields that the receipts of an event lack for the tax office',
    description:
      'Checks the completed donations that have no receipt of the pack in `receipts.pack` yet. Issues no receipt.',
  })
  @ApiOkResponse({ type: IncompleteReceiptsDto })
  @ApiErrors(400, 404)
  incomplete(@Query() query: ReceiptsZipQuery) {
    return this.incompletes.of(query.eventId);
  }

  @Get('packs')
  @Auth('receipts:export')
  @ApiOperation({
    summary: 'Countries whose tax office accepts the receipts, and the form of their settings',
    description:
      'The values of `receipts.pack` other than `none`, and the settings `legal.<country>` with labels.',
  })
  @ApiOkResponse({ type: ReceiptPacksDto })
  @ApiErrors(400)
  packs(@Query() { language = 'en' }: ReceiptPacksQuery): ReceiptPacksDto {
    return {
      data: PACKS.map((pack) => ({
        id: pack.id,
        version: pack.version,
        reviewed: pack.reviewed !== null,
        hasAnnual: pack.annual !== undefined,
        hasCollective: pack.collective !== undefined,
        fields: formOf(pack, language),
      })),
    };
  }

  @Get('zip')
  @Auth('receipts:export')
  @ApiOperation({ summary: 'PDF receipts of all completed donations of an event, with manifest.csv' })
  @ApiDownload('application/zip', 'One PDF for each completed donation, and a manifest; streamed')
  @ApiErrors(400, 404, 429, 503)
  zip(@Caller() caller: Principal, @Query() query: ReceiptsZipQuery, @Res() response: Response) {
    return this.downloads.zip(caller, query.eventId, response);
  }

  @Get(':id')
  @Auth('receipts:read')
  @ApiOperation({
    summary: 'PDF receipt of one donation',
    description:
      'The first request issues the number and returns the original. Later requests return the same receipt, marked as a copy. ' +
      'It is marked void if the donation was refunded or cancelled. Staff get the receipts of their own records. With a pack ' +
      '(`receipts.pack`), the receipt is a document for the tax office; it is refused while a required field is missing.',
  })
  @ApiParam({ name: 'id', description: 'Donation id' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(400, 404, 429, 503)
  @ApiReceiptErrors()
  receipt(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { form }: ReceiptQuery,
    @Res() response: Response,
  ) {
    return this.downloads.one(caller, id, form ?? 'receipt', response);
  }
}

@ApiTags('Exports')
@Controller('export/fr')
export class FrenchDeclarationController {
  constructor(private readonly declaration: FrenchDeclaration) {}

  @Get('222bis')
  @Auth('receipts:export')
  @ApiOperation({
    summary: 'Sum and number of the French receipts of an accounting year',
    description:
      'For the yearly declaration of article 222 bis. Void receipts do not count. `legal.fr.yearEnd` is the end of the year.',
  })
  @ApiOkResponse({ type: FrenchDeclarationDto })
  @ApiErrors(400)
  of(@Query() { year }: FrenchDeclarationQuery) {
    return this.declaration.of(year);
  }
}

@ApiTags('Exports')
@Controller('donations/mine')
export class OwnReceiptController {
  constructor(private readonly downloads: ReceiptDownloads) {}

  @Get(':token/receipt')
  @Public()
  @ApiOperation({
    summary: "PDF receipt of one's own donation",
    description: 'Requires `donation.receiptDownload` of the event. The first request issues the number.',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiDownload('application/pdf', 'The receipt, A4')
  @ApiErrors(403, 404, 409, 429)
  receipt(@Param('token') token: string, @Res() response: Response): Promise<void> {
    return this.downloads.own(token, response);
  }

  @Get(':token/simplified-proof')
  @Public()
  @ApiOperation({
    summary: "Simplified proof of one's own small donation, as PDF",
    description:
      'German receipts (`receipts.pack: de`), donations up to 300 EUR except cash: it counts together with the statement of the bank. ' +
      '409 `RECEIPT_PROOF_OFF` for another donation, or if the receipt for the tax office was issued. Issues no number.',
  })
  @ApiParam({ name: 'token', description: 'The `donorToken` of the intent' })
  @ApiDownload('application/pdf', 'The proof, A4')
  @ApiErrors(403, 404, 409, 429)
  proof(@Param('token') token: string, @Res() response: Response): Promise<void> {
    return this.downloads.ownProof(token, response);
  }
}

@ApiTags('E-mails')
@Controller('donations')
export class ReceiptEmailsController {
  constructor(private readonly emails: ReceiptEmails) {}

  @Post(':id/email-receipt')
  @HttpCode(202)
  @Auth('emails:send')
  @ApiOperation({
    summary: 'Send the receipt of a donation to its donor by e-mail',
    description:
      'Also sends the receipt of an offline donation, which is never sent automatically. A repeat sends it again.',
  })
  @ApiAcceptedResponse({ type: EmailDto })
  @ApiErrors(404, 409, 503)
  send(@Caller() caller: Principal, @Param('id') id: string) {
    return this.emails.request(caller, id);
  }
}
