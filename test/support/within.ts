import { type TestContext, test } from 'node:test';

/** Makes the `test` of a file whose tests may take so long each. */
export function testWithin(limit: { readonly timeout: number }) {
  return (title: string, body: (t: TestContext) => void | Promise<void>): void => void test(title, limit, body);
}
