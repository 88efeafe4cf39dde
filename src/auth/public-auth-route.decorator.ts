import { applyDecorators } from '@nestjs/common';
import { Public } from '../common/access/access.decorators.js';
import { AuthLimited } from './limits/rate-limit.decorators.js';

/** A route of another feature by which somebody who is not signed in proves who they are: few tries by address. */
export const PublicAuthRoute = () => applyDecorators(Public(), AuthLimited());
