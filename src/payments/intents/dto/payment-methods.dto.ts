import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ONLINE_TYPES, type OnlineType } from '../../providers/provider-port.js';
import { CHECKOUT_FLOWS } from '../../providers/provider-definition.js';
import type { OfferedCheckout } from '../../providers/payment-providers.js';

/** One way to pay online. */
export class PaymentMethodDto {
  @ApiProperty({ example: 'acme_bank', description: 'For `provider` of an intent' })
  provider: string;

  @ApiProperty({ enum: ONLINE_TYPES, example: 'card', description: 'For `method` of an intent' })
  method: OnlineType;

  @ApiProperty({
    enum: CHECKOUT_FLOWS,
    example: 'form',
    description: "`form`: the provider's script draws a form; `redirect`: go to the intent's `approveUrl`",
  })
  flow: OfferedCheckout['flow'];

  @ApiProperty({ example: 'Acme Bank', description: 'The name that donors know' })
  label: string;

  @ApiPropertyOptional({
    example: 'pk_live_51H…',
    description: "The publishable key for the provider's script",
  })
  publishableKey?: string;

  @ApiPropertyOptional({
    example: 'https://js.example.com/form.js',
    description: "Where the provider's script is, when that is not the address its documentation names",
  })
  scriptUrl?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['eur', 'usd'],
    description: 'The currencies that it takes, ISO 4217; left out where it says so of each payment only',
  })
  currencies?: readonly string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { huf: 100 },
    description: 'In these currencies it takes multiples of so many minor units; in all others any amount',
  })
  steps: Readonly<Record<string, number>>;
}

export class PaymentMethodsDto {
  @ApiProperty({ type: [PaymentMethodDto], description: 'The default of each method first' })
  methods: PaymentMethodDto[];
}

export const toPaymentMethods = (offered: readonly OfferedCheckout[]): PaymentMethodsDto => ({
  methods: offered.map(({ provider, method, flow, label, publishableKey, scriptUrl, currencies, steps }) => ({
    provider,
    method,
    flow,
    label,
    ...(publishableKey !== undefined && { publishableKey }),
    ...(scriptUrl !== undefined && { scriptUrl }),
    ...(currencies && { currencies }),
    steps,
  })),
});
