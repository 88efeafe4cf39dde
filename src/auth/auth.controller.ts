import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../common/access/access.decorators.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { AdminSession, StaffSession } from './dto/session.dto.js';
import { AdminLogin, StaffLogin } from './dto/sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('Authentication')
@Controller('auth')
export class AuthController {
  constructor(private readonly signIns: SignInService) {}

  @Post('login')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Sign an admin in by e-mail and password' })
  @ApiOkResponse({ type: AdminSession })
  @ApiErrors(400, 401, 429, 503)
  login(@Body() body: AdminLogin): Promise<AdminSession> {
    return this.signIns.admin(body);
  }

  @Post('staff/login')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Sign a staff member in by PIN, for one event' })
  @ApiOkResponse({ type: StaffSession })
  @ApiErrors(400, 401, 429, 503)
  staffLogin(@Body() body: StaffLogin): Promise<StaffSession> {
    return this.signIns.staff(body);
  }
}
