/** What is to be replaced in a kit for credentials that one has already. The console does. */
export const placeholders = { id: 'YOUR_CLIENT_ID', secret: 'YOUR_CLIENT_SECRET' } as const;
