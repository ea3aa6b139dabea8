import { existsSync } from 'node:fs';

/** Where Debian and others put it, unless the environment variable CHROMIUM says so. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));
}
