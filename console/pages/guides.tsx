import { Page } from '../parts/page.tsx';

export default function Guides() {
  return <Page title="Guides">{null}</Page>;
}
