import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { ProviderCheckDto } from './dto/provider-check.dto.js';
import { ProviderChecks } from './provider-checks.service.js';

@ApiTags('Settings')
@Controller('settings/providers')
export class ProviderChecksController {
  constructor(private readonly checks: ProviderChecks) {}

  @Post(':name/check')
  @HttpCode(200)
  @Auth('providers:check')
  @ApiOperation({
    summary: 'Check a payment provider by making and cancelling a payment',
    description: 'Answers 200 even if the check fails; see `ok` and `detail`.',
  })
  @ApiParam({ name: 'name', description: 'As `provider` in `GET /settings/payments`', example: 'acme_bank' })
  @ApiOkResponse({ type: ProviderCheckDto })
  @ApiErrors(404)
  check(@Caller() caller: Principal, @Param('name') name: string) {
    return this.checks.check(caller, name);
  }
}
