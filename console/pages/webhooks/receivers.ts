import { call } from '../../api/call.ts';

/** The guide that has the receivers, of which there is no other copy here. */
export async function readGuide(): Promise<string> {
  return (await call('GET', '/guides/events.md', { as: 'nobody' })).text;
}

/** The receiver in Python, as it is saved. */
export async function readPython(): Promise<string> {
  const [, program] = /^```python\n([\s\S]*?)^```$/m.exec(await readGuide()) ?? [];
  if (program === undefined) throw new Error('The guide has none.');
  return program;
}
