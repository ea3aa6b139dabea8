import { defineConfig } from '@playwright/test';

export default defineConfig({
  use: {
    // A Chromium that is there, in place of the one that Playwright installs.
    launchOptions: { executablePath: process.env.CHROMIUM },
  },
});
