export const bundledSdk: URL;
export function bundleSdk(): Promise<string>;
