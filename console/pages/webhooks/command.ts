import { powershell, shell as sh } from '../../model/quoting.ts';

export const shells = [
  ['sh', 'bash, zsh'],
  ['powershell', 'PowerShell'],
] as const;

export type Shell = (typeof shells)[number][0];

/** That of most people on this system. */
export const usualShell: Shell = navigator.userAgent.includes('Windows') ? 'powershell' : 'sh';

/** Starts a program with variables of the environment. */
export function commandOf(variables: Readonly<Record<string, string>>, program: string, shell: Shell): string {
  const all = Object.entries(variables);
  return shell === 'sh'
    ? `${all.map(([name, value]) => `${name}=${sh(value)}`).join(' ')} ${program}`
    : `${all.map(([name, value]) => `$env:${name} = ${powershell(value)}`).join('; ')}\n${program}`;
}
