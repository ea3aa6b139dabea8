import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';

/*
 * Money is counted in the smallest unit of its currency, by whole numbers: cents, yen, fils. They stay below 2^53, so that
 * nothing is lost. Callers see decimal text.
 */

const currencies = ['EUR', 'JPY', 'KWD'] as const;
export type Currency = (typeof currencies)[number];

/** Decimals of a currency (ISO 4217). */
const decimals: Record<Currency, number> = { EUR: 2, JPY: 0, KWD: 3 };

export const currencyCode = enumeration('Currency', currencies, 'Codes of ISO 4217.');

export const Money = Type.Object(
  {
    amount: Type.String({
      pattern: '^[0-9]+([.][0-9]+)?$',
      description:
        'Decimal text: two decimals in EUR, none in JPY, three in KWD. Read it as a decimal, never as a float.',
      examples: ['123.45'],
    }),
    currency: currencyCode('The currency.', 'EUR'),
  },
  { $id: 'Money', description: 'An amount of money.' },
);

export type Money = Static<typeof Money>;

/** An amount in the smallest unit of its currency, as callers see it. */
export function money(units: number, currency: Currency): Money {
  const places = decimals[currency];
  if (places === 0) return { amount: String(units), currency };
  const digits = String(units).padStart(places + 1, '0');
  return { amount: `${digits.slice(0, -places)}.${digits.slice(-places)}`, currency };
}

/** The quotient of two whole numbers, neither below 0, rounded to a whole one; a half to the even one of its neighbours. */
export function quotient(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  const floor = (dividend - rest) / divisor;
  const isUp = 2 * rest > divisor || (2 * rest === divisor && floor % 2 === 1);
  return isUp ? floor + 1 : floor;
}
