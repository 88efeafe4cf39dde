import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ONLINE_TYPES, type OnlineType } from '../../providers/provider-port.js';
import { CHECKOUT_FLOWS } from '../../providers/provider-definition.js';
import type { OfferedCheckout } from '../../providers/payment-providers.js';

/** One way to pay online. */
export class PaymentMethodDto {
  @ApiProperty({ example: 'acme_bank', description: 'Value for `provider` of an intent' })
  provider: string;

  @ApiProperty({ enum: ONLINE_TYPES, example: 'card', description: 'Value for `method` of an intent' })
  method: OnlineType;

  @ApiProperty({
    enum: CHECKOUT_FLOWS,
    example: 'form',
    description:
      "`form`: the provider's script shows a form; `redirect`: the browser opens the intent's `approveUrl`",
  })
  flow: OfferedCheckout['flow'];

  @ApiProperty({ example: 'Acme Bank', description: 'Name of the provider as donors know it' })
  label: string;

  @ApiPropertyOptional({
    example: 'pk_live_51H…',
    description: "The publishable key for the provider's script",
  })
  publishableKey?: string;

  @ApiPropertyOptional({
    example: 'https://js.example.com/form.js',
    description: "Address of the provider's script, if it differs from the documented address",
  })
  scriptUrl?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['eur', 'usd'],
    description:
      'Accepted currencies, ISO 4217; absent if the provider checks the currency only at each payment',
  })
  currencies?: readonly string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { huf: 100 },
    description: 'Step of amounts by currency, in minor units; other currencies accept any amount',
  })
  steps: Readonly<Record<string, number>>;
}

export class PaymentMethodsDto {
  @ApiProperty({ type: [PaymentMethodDto], description: 'The default provider of each method comes first' })
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
