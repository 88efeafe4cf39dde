import { Body, Controller, Delete, Get, Header, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Confirmed } from '../auth/confirmations.service.js';
import { Auth, Caller } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeys, CreateApiKey, CreatedApiKey, RevokedApiKey } from './dto/api-key.dto.js';

@ApiTags('API keys')
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Auth('api-keys:list')
  @ApiOperation({ summary: 'List the API keys, the newest first; ended keys stay for 30 days' })
  @ApiOkResponse({ type: ApiKeys })
  @ApiErrors(429)
  async list(): Promise<ApiKeys> {
    return { data: await this.keys.list() };
  }

  @Post()
  @Header('Cache-Control', 'no-store')
  @Auth('api-keys:create')
  @Confirmed()
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'Only this answer contains the key. Another program sends it as `Authorization: Bearer fdk_…`. It can never do more ' +
      'than the account that made it can do at that time.',
  })
  @ApiCreatedResponse({ type: CreatedApiKey })
  @ApiErrors(400, 404, 409, 429)
  create(@Caller() caller: Principal, @Body() body: CreateApiKey): Promise<CreatedApiKey> {
    return this.keys.create(caller, body);
  }

  @Delete(':id')
  @Auth('api-keys:revoke')
  @ApiParam({ name: 'id', format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' })
  @ApiOperation({ summary: 'Revoke an API key within two seconds; a repeat changes nothing' })
  @ApiOkResponse({ type: RevokedApiKey })
  @ApiErrors(404, 429)
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<RevokedApiKey> {
    return this.keys.revoke(caller, id);
  }
}
