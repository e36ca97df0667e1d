"""Every route, mounted."""

from django.contrib import admin
from django.urls import include, path

from api.drop_in.views import ChatCompletions, Models
from api.mcp.views import McpEndpoint
from memory_project import health, metrics

urlpatterns = [
    path("health/live", health.live),
    path("health/ready", health.ready),
    path("metrics", metrics.show),
    path("api/v1/", include("api.v1.urls")),
    path("mcp", McpEndpoint.as_view()),
    path("v1/chat/completions", ChatCompletions.as_view()),
    path("v1/models", Models.as_view()),
    path("admin/", admin.site.urls),
    path("", include("inspector.urls")),
]
handler400 = "api.errors.bad_request"
handler404 = "api.errors.not_found"
handler500 = "api.errors.failed"
