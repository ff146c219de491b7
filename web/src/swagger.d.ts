declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export default function SwaggerUI(options: Record<string, unknown>): { preauthorizeApiKey(scheme: string, key: string): void };
}
declare module "swagger-ui-dist/swagger-ui.css";
