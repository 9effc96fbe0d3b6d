<?php

require __DIR__ . "/vendor/autoload.php";

use Unleash\Client\Configuration\UnleashContext;
use Unleash\Client\UnleashBuilder;

$unleash = UnleashBuilder::create()
    ->withAppUrl("http://127.0.0.1:4242/api")
    ->withAppName("shop")
    ->withInstanceId(gethostname())
    ->withHeader("Authorization", "the-backend-token-printed-by-npm-start")
    ->build();

$context = new UnleashContext(currentUserId: "7");
$isNew = $unleash->isEnabled("new-header", $context) ? "true" : "false";
$colour = $unleash->getVariant("button-colour", $context)->getName();
echo "new-header: {$isNew}, button-colour: {$colour}\n";
