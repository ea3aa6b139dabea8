import { Page } from '../parts/page.tsx';

export default function Claims() {
  return <Page title="Claims">{null}</Page>;
}
